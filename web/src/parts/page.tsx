// A page: its title (in the window's too), what can be done on it, and its parts.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

interface PageProps {
  title: string;
  /** Where it belongs to. */
  above?: { title: string; href: string };
  sub?: ComponentChildren;
  actions?: ComponentChildren;
  /** As high as the window, for a list that scrolls in itself. */
  isFull?: boolean;
  children: ComponentChildren;
}

export function Page({ title, above, sub, actions, isFull, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} – Muster`;
  }, [title]);
  return (
    <div class={isFull ? 'page fill' : 'page'}>
      <div class="page-head">
        {above && (
          <span class="crumb">
            <a href={above.href}>{above.title}</a> /
          </span>
        )}
        <h1 class="wrap-anywhere">{title}</h1>
        {sub && <span class="sub">{sub}</span>}
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
