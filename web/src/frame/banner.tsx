// Said above every page while nobody answers: what is shown is old, and it is being asked again.
import { lookNow, lostSince } from '../data/connection';
import { When } from '../parts/when';

export function Banner() {
  if (!lostSince.value) return null;
  return (
    <div class="banner" role="alert">
      <span>
        The server has not answered since <When at={new Date(lostSince.value).toISOString()} />. What you see is from before; the page goes on by itself as soon as it is back.
      </span>
      <button type="button" class="small" onClick={lookNow}>
        Look now
      </button>
    </div>
  );
}
