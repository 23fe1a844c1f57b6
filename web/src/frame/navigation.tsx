// The navigation at the side; a drawer where the window is narrow.
import { useLocation } from 'preact-iso';
import { Brand, Icon } from '../parts/icon';
import { isAt, type Place } from './places';
import { visiblePlaces } from './visible_places';

export function Navigation({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const { path } = useLocation();
  const places = visiblePlaces.value;
  const groups = [...new Set(places.map((place) => place.group))];
  return (
    <>
      {isOpen && <button type="button" class="scrim" aria-label="Close navigation" onClick={close} />}
      <nav class={`side ${isOpen ? 'is-open' : ''}`} aria-label="Pages" onClick={close}>
        <a class="brand" href="/">
          <Brand />
          Muster
        </a>
        {groups.map((group) => (
          <div class="nav-group" key={group}>
            <div class="nav-title">{group}</div>
            {places
              .filter((place) => place.group === group)
              .map((place) => (
                <NavLink key={place.path} place={place} isCurrent={isAt(place, path)} />
              ))}
          </div>
        ))}
        <div class="side-foot">
          <kbd>?</kbd> keys
        </div>
      </nav>
    </>
  );
}

function NavLink({ place, isCurrent }: { place: Place; isCurrent: boolean }) {
  return (
    <a class="nav-link" href={place.path} aria-current={isCurrent ? 'page' : undefined} title={`g ${place.key}`}>
      <Icon name={place.icon} />
      {place.title}
    </a>
  );
}
