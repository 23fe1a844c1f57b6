// The rows of docs/limits.md, which is the one list of every bound and the answer at it.

export interface Limit {
  part: string;
  name: string;
  value: string;
  what: string;
  answer: string;
}

const plain = (cell: string) => cell.trim().replaceAll('`', '');

export function limitsOf(page: string): Limit[] {
  const limits: Limit[] = [];
  let part = '';
  for (const line of page.split('\n')) {
    if (line.startsWith('## ')) part = line.slice(3);
    const cells = /^\| *`/.test(line) ? line.split(/(?<!\\)\|/).slice(1, -1).map(plain) : [];
    if (cells.length === 4) limits.push({ part, name: cells[0]!, value: cells[1]!, what: cells[2]!, answer: cells[3]! });
  }
  return limits;
}
