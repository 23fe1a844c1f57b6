// Short messages about what an action did: shown in a corner, read out by screen readers, gone after a while.
import { signal } from '@preact/signals';

export interface Notice {
  id: number;
  text: string;
  tone: 'good' | 'bad';
  href?: string;
}

const SHOWN_MS = 6000;
const AT_ONCE = 4;
let ids = 0;

export const notices = signal<Notice[]>([]);

export function notify(text: string, tone: Notice['tone'] = 'good', href?: string): void {
  const notice = { id: (ids += 1), text, tone, ...(href && { href }) };
  notices.value = [...notices.value, notice].slice(-AT_ONCE);
  setTimeout(() => dismiss(notice.id), tone === 'bad' ? 2 * SHOWN_MS : SHOWN_MS);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}
