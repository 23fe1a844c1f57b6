// A conversation that is read on: what is known stays, and only what was said since is asked for.

interface Numbered {
  number: number;
}

export interface Told<Message> {
  messages: Message[];
  /** How often the session had been compacted when it was read: a compaction changes what was said before. Absent: not known yet. */
  compactions: number | undefined;
  /** When it was last read from its beginning. */
  wholeAt: number;
}

/** What else changes old messages (somebody brings back what a compaction took away) is seen this late. */
export const WHOLE_EVERY_MS = 60_000;

/** The messages to go on behind; none: read from the beginning. */
export function goneOnFrom<Message>(before: Told<Message> | undefined, compactions: number | undefined, now: number): Message[] {
  const isCompacted = before?.compactions !== undefined && compactions !== undefined && before.compactions !== compactions;
  return before && !isCompacted && now - before.wholeAt < WHOLE_EVERY_MS ? before.messages : [];
}

/** With what came since, each once, and of a very long conversation the last ones. The same list when nothing came. */
export function readOn<Message extends Numbered>(before: Message[], came: Message[], most: number): Message[] {
  const last = before.at(-1)?.number ?? -1;
  const fresh = came.filter((message) => message.number > last);
  return fresh.length ? [...before, ...fresh].slice(-most) : before;
}
