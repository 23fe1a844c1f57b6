// A JSON value as a tree that opens and closes. Every name and value is a text node: whatever a payload holds, it is only ever read.
import { useMemo, useState } from 'preact/hooks';
import { openAtFirst, rowsOf, toggled, withMore, type TreeRow } from '../rules/json_tree';
import { clip, turnsAround, visible } from '../rules/text';
import { Copy } from './copy';

const STRING_SHOWN = 2000;

export function JsonView({ value, label }: { value: unknown; label: string }) {
  const [open, setOpen] = useState(() => openAtFirst(value));
  const rows = useMemo(() => rowsOf(value, open), [value, open]);
  return (
    <div class="json" role="region" aria-label={label} tabIndex={0}>
      {rows.map((row) => (
        <Line key={`${row.path} ${row.kind}`} row={row} toggle={() => setOpen(toggled(open, row.path))} more={() => setOpen(withMore(open, row.path))} />
      ))}
    </div>
  );
}

function Line({ row, toggle, more }: { row: TreeRow; toggle: () => void; more: () => void }) {
  const isBranch = (row.kind === 'object' || row.kind === 'array') && row.size! > 0;
  return (
    <div class="line" style={{ paddingLeft: `${14 + row.depth * 16}px` }}>
      {isBranch ? (
        <button type="button" class="twist" aria-expanded={row.isOpen} aria-label={`${row.isOpen ? 'Close' : 'Open'} ${clip(row.name ?? 'the value', 40)}`} onClick={toggle}>
          {row.isOpen ? '▾' : '▸'}
        </button>
      ) : (
        <span class="twist" />
      )}
      <span>
        {row.name !== undefined && (
          <>
            <span class="name">{clip(row.name, 200)}</span>
            <span class="faint">: </span>
          </>
        )}
        <Value row={row} more={more} />
      </span>
    </div>
  );
}

function Value({ row, more }: { row: TreeRow; more: () => void }) {
  const [isWhole, setWhole] = useState(false);
  switch (row.kind) {
    case 'object':
    case 'array': {
      const [begin, end] = row.kind === 'object' ? ['{', '}'] : ['[', ']'];
      return <span class="faint">{row.isOpen ? begin : `${begin}${row.size ? ` ${row.size} … ` : ''}${end}`}</span>;
    }
    case 'end':
      return <span class="faint">{row.text}</span>;
    case 'more':
      return (
        <button type="button" onClick={more}>
          … {row.size} more
        </button>
      );
    case 'string': {
      const text = row.text!;
      const shown = isWhole ? text : text.slice(0, STRING_SHOWN);
      return (
        <>
          <span class="string" title={turnsAround(text) ? 'holds marks that change the direction of writing; they are shown as ‹U+…›' : undefined}>
            "{visible(shown)}
            {shown.length < text.length ? '…' : ''}"
          </span>
          {shown.length < text.length && (
            <button type="button" onClick={() => setWhole(true)}>
              show all {text.length} characters
            </button>
          )}
        </>
      );
    }
    default:
      return <span class={row.kind}>{row.text}</span>;
  }
}

export function CopyJson({ value, label }: { value: unknown; label: string }) {
  return <Copy text={() => JSON.stringify(value, null, 2)} label={label} />;
}
