// Where the dashboard begins: styles, who is looking, then the pages.
import { render } from 'preact';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import './styles/pages.css';
import { App } from './app';
import { lostSince } from './data/connection';
import { identity, readIdentity, signIn, takeLinkCode } from './data/identity';
import { watchFiles } from './data/missing_file';
import { probeRoutes } from './data/routes';
import { applyTheme } from './frame/header';

watchFiles();
applyTheme();
render(<App />, document.getElementById('app')!);

const code = takeLinkCode();
if (code) await signIn('Link', code).catch(() => readIdentity());
else await readIdentity();

// A page that was opened while the server was away learns who is looking when it is back.
lostSince.subscribe((since) => {
  if (since === 0 && identity.peek() === undefined) void readIdentity();
});
// Whoever signs in may see other pages.
let probed = '';
identity.subscribe((who) => {
  const key = who ? `${who.name} ${who.role}` : '';
  if (key && key !== probed) void probeRoutes();
  probed = key;
});
