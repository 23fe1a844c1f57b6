// Every action of the dashboard as the command line that does the same: people learn it from here, and paste it into their notes.

/** A word as a shell reads it back. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

type Flags = Record<string, string | number | boolean | undefined>;

/** `muster queue pause mail --reason 'provider is down'`; absent and empty flags are left out, the default namespace too. */
export function line(words: string[], flags: Flags = {}): string {
  const out = ['muster', ...words.map(quoted)];
  for (const [name, value] of Object.entries(flags)) {
    if (value === undefined || value === '' || value === false) continue;
    if (name === 'namespace' && value === 'default') continue;
    out.push(value === true ? `--${name}` : `--${name} ${quoted(String(value))}`);
  }
  return out.join(' ');
}

/** A length as the command line reads it: whole units only, so nothing is rounded. */
export function lengthFlag(ms: number): string {
  for (const [unit, name] of [[3_600_000, 'h'], [60_000, 'm'], [1000, 's']] as const) {
    if (ms % unit === 0) return `${ms / unit}${name}`;
  }
  return `${ms}ms`;
}
