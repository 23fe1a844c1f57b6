// Where the dashboard begins: styles, who is looking, then the pages.
import { render } from 'preact';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import './styles/pages.css';
import { App } from './app';
import { lostSince } from './data/connection';
import { identity, readIdentity } from './data/identity';
import { watchFiles } from './data/missing_file';
import { watchSession } from './data/other_tabs';
import { watchRoutes } from './data/routes';
import { watchLinks } from './data/sign_in_link';
import { applyTheme } from './frame/header';

watchFiles();
applyTheme();
render(<App />, document.getElementById('app')!);

watchSession(() => void readIdentity());
watchLinks();
watchRoutes();
await readIdentity();

// A page that was opened while the server was away learns who is looking when it is back.
lostSince.subscribe((since) => {
  if (since === 0 && identity.peek() === undefined) void readIdentity();
});
