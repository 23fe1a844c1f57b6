// The few signs of the navigation and of buttons, drawn as strokes of one weight.

const SHAPES = {
  overview: 'M3 13h4l2-7 4 12 2-5h6',
  jobs: 'M5 4h14v5H5zM5 15h14v5H5zM9 9v6',
  queues: 'M4 6h16M4 12h16M4 18h10',
  lanes: 'M6 3v18M12 3v5m0 3v3m0 3v4M18 3v18',
  workers: 'M4 9h16v11H4zM9 9V5h6v4M9 14h.01M15 14h.01',
  workflows: 'M6 6h4v4H6zM14 14h4v4h-4zM8 10v6h6',
  schedules: 'M12 7v5l3 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  plans: 'M5 5h6v6H5zM13 5h6v6h-6zM5 13h6v6H5zM13 13h6v6h-6z',
  agents: 'M12 3l2.2 6.2L20 12l-5.8 2.8L12 21l-2.2-6.2L4 12l5.8-2.8z',
  sessions: 'M4 5h16v11H10l-5 4v-4H4z',
  packages: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  cluster: 'M12 3v6M12 9L5 17M12 9l7 8M12 3h.01M5 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM19 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12 11a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  audit: 'M6 3h9l4 4v14H6zM9 11h7M9 15h7M14 3v5h5',
  server: 'M4 4h16v7H4zM4 13h16v7H4zM8 7.5h.01M8 16.5h.01',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  check: 'M5 13l4 4L19 7',
  light: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5',
  dark: 'M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5z',
  out: 'M10 4H5v16h5M15 8l4 4-4 4M19 12H9',
  help: 'M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18h.01',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 5l12 7-12 7z',
} as const;

export type IconName = keyof typeof SHAPES;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg viewBox="0 0 24 24" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  );
}

export function Brand() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#1f5f5b" />
      <g fill="#fff">
        <rect x="7" y="8" width="4" height="16" rx="1.5" />
        <rect x="14" y="8" width="4" height="11" rx="1.5" />
        <rect x="21" y="8" width="4" height="16" rx="1.5" />
        <circle cx="16" cy="23" r="2" />
      </g>
    </svg>
  );
}
