# Called by muster_embed at build time; writes OUTPUT.h and OUTPUT.cc.
get_filename_component(dir ${OUTPUT} DIRECTORY)
file(MAKE_DIRECTORY ${dir})
file(WRITE ${OUTPUT}.h "// Generated from the files beside it in the source tree.
#pragma once
#include <span>
#include \"base/embedded.h\"
namespace muster::embedded {
std::span<const File> ${FUNCTION}();
}
")
set(entries "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(LENGTH "${text}" length)
  # Compilers bound one string literal to 64 KiB: write longer files in pieces, which the preprocessor joins again.
  set(pieces "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND pieces "R\"embed~(${piece})embed~\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  if(NOT pieces)
    set(pieces "\"\"")
  endif()
  string(APPEND entries "    {\"${name}\", ${pieces}},\n")
endforeach()
file(WRITE ${OUTPUT}.cc "// Generated.
#include \"${INCLUDE}\"
namespace muster::embedded {
std::span<const File> ${FUNCTION}() {
  static constexpr File kFiles[] = {
${entries}};
  return kFiles;
}
}
")
