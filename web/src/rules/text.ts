// What others wrote, made safe to look at. The page never interprets it (everything is a text node); this is about what text alone can
// do to a reader: hide behind control characters, or turn the line around with marks of writing direction.

const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
// Everything that has no sign of its own or moves what stands around it. Line ends and tabs are left alone.
// eslint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** The text with unseen characters shown: control characters by their pictures, marks by their number. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0)!;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
  });
}

/** Whether the text holds a mark that could show it in another order than it is. */
export function turnsAround(text: string): boolean {
  return BIDI.test(text);
}

/** The beginning, on one line. */
export function clip(text: string, length: number): string {
  const line = visible(text.slice(0, length + 1)).replace(/\s+/g, ' ');
  return text.length > length ? `${line.slice(0, length)}…` : line;
}

/** As much of an id as tells it apart from its neighbours; the command line takes it too. */
export function shortId(id: string): string {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(id)) return id.slice(0, 8);
  const made = /^(?:action|job)_([0-9a-f]{8})[0-9a-f]{24}$/i.exec(id);
  return made ? made[1]! : clip(id, 24);
}
