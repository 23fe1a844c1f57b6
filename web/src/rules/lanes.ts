// Which lanes are asked for, and what is said of those that an answer leaves out.
import { count } from './numbers';

/** As many as the server gives at once. */
const LANES_MAX = 1000;

/** Empty words ask for all. */
export function lanesQuery(namespace: string, queue: string) {
  return { ...(namespace && { namespace }), ...(queue && { queue }), limit: LANES_MAX };
}

/** Empty when the answer has all of them. Its `total` is not told: the server stops counting at a bound of its own. */
export function lanesLeftOut({ lanes, more }: { lanes: unknown[]; more: boolean }): string {
  return more ? `There are more lanes than the first ${count(lanes.length)}, which are those that nobody serves, then those where most wait.` : '';
}
