// An address that is none of ours.
import { CommandLine } from '../parts/copy';
import { Page } from '../parts/page';

export function NotFound() {
  return (
    <Page title="Nothing here">
      <p class="soft">
        This address shows no page. Press <kbd>Ctrl K</kbd> to search, or go to the <a href="/">overview</a>.
      </p>
      <CommandLine command="muster --help" />
    </Page>
  );
}
