// Rows under headings, by the value of one of their labels.

interface Labelled {
  labels?: Record<string, string> | undefined;
}

/** Every label key that at least one row has, the most common first. */
export function labelKeys(rows: Labelled[]): string[] {
  const counts = new Map<string, number>();
  for (const row of rows) for (const key of Object.keys(row.labels ?? {})) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts.entries()].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).map(([key]) => key);
}

/** Groups in the order of their names; rows without the label come last. Without a key, one group without a name. */
export function groupedBy<Row extends Labelled>(rows: Row[], key: string): { name: string; rows: Row[] }[] {
  if (!key) return [{ name: '', rows }];
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const name = row.labels?.[key] ?? '';
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return [...groups.entries()]
    .sort(([a], [b]) => (a === '' ? 1 : b === '' ? -1 : a.localeCompare(b)))
    .map(([name, members]) => ({ name: name === '' ? `without ${key}` : `${key}=${name}`, rows: members }));
}
