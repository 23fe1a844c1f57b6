// Events in the time of one look: of each thing only its newest state matters, and of a flood only that there was one.

export interface Coalesced<Event> {
  /** The newest of each key, in the order in which they came. */
  events: Event[];
  /** More keys than are kept: read again what is shown. */
  overflowed: boolean;
}

export class Coalescer<Event> {
  private readonly newest = new Map<string, Event>();
  private overflowed = false;

  constructor(
    private readonly keyOf: (event: Event) => string,
    private readonly keysMax: number,
  ) {}

  add(event: Event): void {
    const key = this.keyOf(event);
    this.newest.delete(key);
    if (this.newest.size >= this.keysMax) {
      this.overflowed = true;
      return;
    }
    this.newest.set(key, event);
  }

  isEmpty(): boolean {
    return this.newest.size === 0 && !this.overflowed;
  }

  take(): Coalesced<Event> {
    const taken = { events: [...this.newest.values()], overflowed: this.overflowed };
    this.newest.clear();
    this.overflowed = false;
    return taken;
  }
}
