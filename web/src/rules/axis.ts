// Labels of an axis: what several neighbours would say alike is said once, by the first of them.
export function saidOnce(labels: string[]): string[] {
  return labels.map((label, at) => (at > 0 && labels[at - 1] === label ? '' : label));
}
