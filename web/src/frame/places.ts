// The pages, once: navigation, jumps by key and palette are drawn from this list.
import type { IconName } from '../parts/icon';
import type { Optional } from '../data/routes';

export interface Place {
  title: string;
  path: string;
  icon: IconName;
  /** The second key after `g`. */
  key: string;
  group: 'Work' | 'Agents' | 'Operate';
  needs?: Optional;
  role?: 'operator';
}

export const PLACES: Place[] = [
  { title: 'Overview', path: '/', icon: 'overview', key: 'o', group: 'Work' },
  { title: 'Jobs', path: '/jobs', icon: 'jobs', key: 'j', group: 'Work' },
  { title: 'Queues', path: '/queues', icon: 'queues', key: 'q', group: 'Work' },
  { title: 'Lanes', path: '/lanes', icon: 'lanes', key: 'l', group: 'Work', needs: 'lanes' },
  { title: 'Workers', path: '/workers', icon: 'workers', key: 'w', group: 'Work' },
  { title: 'Workflows', path: '/workflows', icon: 'workflows', key: 'f', group: 'Work' },
  { title: 'Schedules', path: '/schedules', icon: 'schedules', key: 's', group: 'Work' },
  { title: 'Plans', path: '/plans', icon: 'plans', key: 'p', group: 'Work' },
  { title: 'Agents', path: '/agents', icon: 'agents', key: 'a', group: 'Agents', needs: 'agents' },
  { title: 'Sessions', path: '/sessions', icon: 'sessions', key: 'e', group: 'Agents', needs: 'agents' },
  { title: 'Packages', path: '/packages', icon: 'packages', key: 'k', group: 'Agents', needs: 'packages' },
  { title: 'Cluster', path: '/cluster', icon: 'cluster', key: 'c', group: 'Operate' },
  { title: 'Audit', path: '/audit', icon: 'audit', key: 'u', group: 'Operate', role: 'operator' },
  { title: 'Server', path: '/server', icon: 'server', key: 'v', group: 'Operate' },
];

/** Whether an address is on this page or below it. */
export function isAt(place: Place, path: string): boolean {
  if (place.path === '/') return path === '/';
  return path === place.path || path.startsWith(`${place.path}/`) || (ALSO[place.path]?.some((below) => path.startsWith(below)) ?? false);
}

const ALSO: Record<string, string[]> = { '/plans': ['/actions/'], '/agents': ['/agent-runs/'] };
