// "Why does it not run?" The server's sentence, cut into words and links: what it names (jobs, workers, queues, capabilities, times) is what
// the reader wants to open next.

export interface Why {
  id: string;
  state: string;
  code: string;
  text: string;
  details?: { missing?: string[]; workers?: string[]; jobs?: string[]; until?: string; ahead?: number };
}

export interface Segment {
  text: string;
  /** Where it leads; absent: plain words. */
  href?: string;
  /** An instant, shown as how long from now. */
  at?: string;
}

export function segmentsOf(why: Why, job: { queue?: string; namespace?: string }): Segment[] {
  const links: { text: string; href: string }[] = [];
  for (const id of why.details?.jobs ?? []) links.push({ text: id, href: `/jobs/${id}` });
  for (const id of why.details?.workers ?? []) links.push({ text: `'${id}'`, href: workerAddress(id, job.namespace) });
  for (const name of why.details?.missing ?? []) links.push({ text: `'${name}'`, href: `/lanes?need=${encodeURIComponent(name)}` });
  if (job.queue) links.push({ text: `queue '${job.queue}'`, href: `/queues?queue=${encodeURIComponent(job.queue)}` });
  return cut(why.text, links);
}

export function workerAddress(id: string, namespace = 'default'): string {
  return `/workers/${encodeURIComponent(id)}${namespace === 'default' ? '' : `?namespace=${encodeURIComponent(namespace)}`}`;
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/;

function cut(text: string, links: { text: string; href: string }[]): Segment[] {
  const out: Segment[] = [];
  let rest = text;
  while (rest) {
    let first: { at: number; text: string; segment: Segment } | undefined;
    for (const link of links) {
      const at = rest.indexOf(link.text);
      if (at >= 0 && (!first || at < first.at)) first = { at, text: link.text, segment: { text: link.text, href: link.href } };
    }
    const time = TIME.exec(rest);
    if (time && (!first || time.index < first.at)) {
      first = { at: time.index, text: time[0], segment: { text: time[0], at: time[0] } };
    }
    if (!first) break;
    if (first.at > 0) out.push({ text: rest.slice(0, first.at) });
    out.push(first.segment);
    rest = rest.slice(first.at + first.text.length);
  }
  if (rest) out.push({ text: rest });
  return out;
}

/** How much the reason should worry somebody: nobody will ever come, it takes a while, or all is well. */
export function toneOf(code: string): 'bad' | 'wait' | 'good' {
  switch (code) {
    case 'no_worker':
    case 'no_capable_worker':
    case 'paused':
      return 'bad';
    case 'running':
    case 'next_in_line':
    case 'finished':
      return 'good';
    default:
      return 'wait';
  }
}
