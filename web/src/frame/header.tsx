// The header: search, namespace, whether the page is live, light or dark, and who is signed in.
import { signal } from '@preact/signals';
import { answer, api } from '../api/client';
import { lostSince } from '../data/connection';
import { isLive, isWanted } from '../data/events';
import { identity, signOut } from '../data/identity';
import { chooseNamespace, namespace } from '../data/namespace';
import { useQuery } from '../data/query';
import { available } from '../data/routes';
import { Icon } from '../parts/icon';
import { openPalette } from './palette';

const THEME = 'muster.theme';
const theme = signal(localStorage.getItem(THEME) ?? '');

export function applyTheme(): void {
  if (theme.value) document.documentElement.dataset.theme = theme.value;
}

function switchTheme(): void {
  const isDark = theme.value ? theme.value === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  theme.value = isDark ? 'light' : 'dark';
  localStorage.setItem(THEME, theme.value);
  applyTheme();
}

export function Header({ openMenu }: { openMenu: () => void }) {
  return (
    <header class="top">
      <button type="button" class="quiet icon menu-button" aria-label="Open navigation" onClick={openMenu}>
        <Icon name="menu" />
      </button>
      <button type="button" class="search" onClick={openPalette} aria-label="Search or jump">
        <Icon name="search" />
        <span>{available.value.has('search') ? 'Search any id, jump anywhere' : 'Jump to a page or an id'}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <div class="spring" />
      <LiveState />
      <NamespaceChoice />
      <button type="button" class="quiet icon" aria-label="Switch between light and dark" onClick={switchTheme}>
        <Icon name={theme.value === 'dark' ? 'light' : 'dark'} />
      </button>
      <Who />
    </header>
  );
}

function LiveState() {
  const [look, text] = lostSince.value ? ['off', 'not connected'] : isLive.value ? ['on', 'live'] : [isWanted.value ? 'off' : 'idle', 'polling'];
  return (
    <div class={`live ${look}`} role="status" aria-label={`Connection: ${text}`} title={text}>
      <i />
      <span>{text}</span>
    </div>
  );
}

function NamespaceChoice() {
  const { data } = useQuery('namespaces', (signal) => answer(api.GET('/api/v1/namespaces', { signal })), { everyMs: 60_000 });
  const names = data?.namespaces?.map((one) => one.name!) ?? [];
  const chosen = namespace.value;
  if (names.length < 2 && !chosen) return null;
  return (
    <select aria-label="Namespace" value={chosen} onChange={(event) => chooseNamespace(event.currentTarget.value)}>
      <option value="">all namespaces</option>
      {(chosen && !names.includes(chosen) ? [chosen, ...names] : names).map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

function Who() {
  const who = identity.value;
  if (!who?.signed_in) return null;
  return (
    <>
      <span class="tag wide-only" title={`${who.name ?? 'token'}: ${who.role}`}>
        {who.role}
      </span>
      <button type="button" class="quiet icon" aria-label="Sign out" title="Sign out" onClick={() => void signOut()}>
        <Icon name="out" />
      </button>
    </>
  );
}
