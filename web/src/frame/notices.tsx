// The corner in which notices stand.
import { dismiss, notices } from '../data/notices';
import { Icon } from '../parts/icon';
import { visible } from '../rules/text';

export function Notices() {
  return (
    <div class="notices" aria-live="polite">
      {notices.value.map((notice) => (
        <div key={notice.id} class={`notice ${notice.tone === 'bad' ? 'bad-notice' : ''}`}>
          <span>{visible(notice.text)}</span>
          {notice.href && <a href={notice.href}>Show</a>}
          <button type="button" class="quiet icon" aria-label="Dismiss" onClick={() => dismiss(notice.id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
