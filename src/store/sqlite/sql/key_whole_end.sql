RELEASE whole
