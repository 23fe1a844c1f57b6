// The frame around every page, and which page an address shows. Pages other than the overview are loaded when they are first opened.
import { ErrorBoundary, LocationProvider, Router, Route, lazy, useLocation } from 'preact-iso';
import { useEffect, useRef, useState } from 'preact/hooks';
import { signInNeeded } from './data/connection';
import { identity } from './data/identity';
import { readers } from './data/kept';
import { loaded } from './data/missing_file';
import { Banner } from './frame/banner';
import { Header } from './frame/header';
import { Help, useKeys } from './frame/keys';
import { Navigation } from './frame/navigation';
import { Notices } from './frame/notices';
import { Palette } from './frame/palette';
import { SignIn } from './frame/sign_in';
import { ActionDialog } from './parts/action_dialog';
import { Overview } from './pages/overview';
import { NotFound } from './pages/not_found';

const Jobs = lazy(() => loaded(import('./pages/jobs'), (page) => page.Jobs));
const JobPage = lazy(() => loaded(import('./pages/job'), (page) => page.JobPage));
const Queues = lazy(() => loaded(import('./pages/queues'), (page) => page.Queues));
const Lanes = lazy(() => loaded(import('./pages/lanes'), (page) => page.Lanes));
const Workers = lazy(() => loaded(import('./pages/workers'), (page) => page.Workers));
const WorkerPage = lazy(() => loaded(import('./pages/worker'), (page) => page.WorkerPage));
const Workflows = lazy(() => loaded(import('./pages/workflows'), (page) => page.Workflows));
const RunPage = lazy(() => loaded(import('./pages/run'), (page) => page.RunPage));
const Schedules = lazy(() => loaded(import('./pages/schedules'), (page) => page.Schedules));
const SchedulePage = lazy(() => loaded(import('./pages/schedule'), (page) => page.SchedulePage));
const Plans = lazy(() => loaded(import('./pages/plans'), (page) => page.Plans));
const PlanPage = lazy(() => loaded(import('./pages/plan'), (page) => page.PlanPage));
const ActionPage = lazy(() => loaded(import('./pages/action'), (page) => page.ActionPage));
const Agents = lazy(() => loaded(import('./pages/agents'), (page) => page.Agents));
const Sessions = lazy(() => loaded(import('./pages/sessions'), (page) => page.Sessions));
const SessionPage = lazy(() => loaded(import('./pages/session'), (page) => page.SessionPage));
const AgentRunPage = lazy(() => loaded(import('./pages/agent_run'), (page) => page.AgentRunPage));
const Packages = lazy(() => loaded(import('./pages/packages'), (page) => page.Packages));
const PackagePage = lazy(() => loaded(import('./pages/package'), (page) => page.PackagePage));
const Cluster = lazy(() => loaded(import('./pages/cluster'), (page) => page.Cluster));
const Audit = lazy(() => loaded(import('./pages/audit'), (page) => page.Audit));
const Server = lazy(() => loaded(import('./pages/server'), (page) => page.Server));

export function App() {
  return (
    <LocationProvider>
      <Gate />
    </LocationProvider>
  );
}

function Gate() {
  // Behind the sign-in a page that was shown stays mounted, so that it goes on where it was. Before anybody is known the page is shown
  // without its buttons: what it reads is asked for at the same time as who is looking.
  const isShown = identity.value !== undefined || !signInNeeded.value;
  return (
    <>
      {signInNeeded.value && <SignIn />}
      {isShown && (
        // Somebody else begins with nothing of what the page was showing.
        <div key={readers.value} hidden={signInNeeded.value}>
          <Frame />
        </div>
      )}
    </>
  );
}

function Frame() {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const { path } = useLocation();
  useKeys();
  useEffect(() => {
    // A new page begins at its top, and a screen reader begins there too.
    main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [path]);
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Navigation isOpen={isMenuOpen} close={() => setMenuOpen(false)} />
      <Header openMenu={() => setMenuOpen(true)} />
      <Banner />
      <main id="main" ref={main} tabIndex={-1}>
        <ErrorBoundary>
          <Router>
            <Route path="/" component={Overview} />
            <Route path="/sign-in" component={Overview} />
            <Route path="/jobs" component={Jobs} />
            <Route path="/jobs/:id" component={JobPage} />
            <Route path="/queues" component={Queues} />
            <Route path="/lanes" component={Lanes} />
            <Route path="/workers" component={Workers} />
            <Route path="/workers/:id" component={WorkerPage} />
            <Route path="/workflows" component={Workflows} />
            <Route path="/workflows/:id" component={RunPage} />
            <Route path="/schedules" component={Schedules} />
            <Route path="/schedules/:id" component={SchedulePage} />
            <Route path="/plans" component={Plans} />
            <Route path="/plans/:id" component={PlanPage} />
            <Route path="/actions/:id" component={ActionPage} />
            <Route path="/agents" component={Agents} />
            <Route path="/sessions" component={Sessions} />
            <Route path="/sessions/:id" component={SessionPage} />
            <Route path="/agent-runs/:id" component={AgentRunPage} />
            <Route path="/packages" component={Packages} />
            <Route path="/packages/:name" component={PackagePage} />
            <Route path="/cluster" component={Cluster} />
            <Route path="/audit" component={Audit} />
            <Route path="/server" component={Server} />
            <Route default component={NotFound} />
          </Router>
        </ErrorBoundary>
      </main>
      <Notices />
      <Palette />
      <Help />
      <ActionDialog />
    </div>
  );
}
