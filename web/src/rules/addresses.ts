// Addresses of pages about things that have a namespace of their own.

/** The page's address with the namespace that its thing is in; the default one is left out. */
export function withNamespace(path: string, name: string | undefined): string {
  return name && name !== 'default' ? `${path}?namespace=${encodeURIComponent(name)}` : path;
}
