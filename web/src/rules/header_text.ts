// What a header of a request can carry. A browser throws for anything else before it sends, which would look like a server that is away.

/** Whether it is Latin-1 without control characters. */
export function fitsHeader(text: string): boolean {
  return /^[\x20-\x7e\xa0-\xff]*$/.test(text);
}
