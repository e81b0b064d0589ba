const paths = {
  back: 'M10 3 5 8l5 5',
  forward: 'M6 3l5 5-5 5',
  check: 'M3 8.5l3.2 3.2L13 5',
  cross: 'M4 4l8 8M12 4l-8 8',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  down: 'M4 6l4 4 4-4',
  download: 'M8 2v8M4.5 7 8 10.5 11.5 7M3 13.5h10',
  enlarge: 'M9.5 2.5h4v4M6.5 13.5h-4v-4M13.5 2.5 9 7M2.5 13.5 7 9',
  first: 'M12 3 7 8l5 5M4 3v10',
  flash: 'M9 1.5 4 9h3.5L7 14.5 12 7H8.5z',
  last: 'M4 3l5 5-5 5M12 3v10',
  link: 'M6.5 9.5l3-3M7 4.5 8.8 2.7a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.8 1.8a3.2 3.2 0 0 1-4.5-4.5L4.5 7',
  loop: 'M3 8a5 5 0 0 1 8.6-3.5L13 6M13 2.5V6H9.5M13 8a5 5 0 0 1-8.6 3.5L3 10M3 13.5V10h3.5',
  minus: 'M3 8h10',
  moon: 'M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1z',
  pause: 'M5.5 3v10M10.5 3v10',
  plus: 'M8 3v10M3 8h10',
  reduce: 'M13.5 6.5h-4v-4M2.5 9.5h4v4M9.5 6.5l4-4M6.5 9.5l-4 4',
  run: 'M5 3l8 5-8 5z',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.3 10.3 14 14',
  sun: 'M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  system: 'M2 3h12v8H2zM6 13.5h4',
  undecided: 'M6 6a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6 1v.6M8 12.3v.1',
} as const;

export type IconName = keyof typeof paths;

/** A small picture beside words, or alone in a button with a title. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
