import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const tokens = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');

const themes = ['light', 'dark'] as const;

/** Of every custom property that is a colour: its value in one theme, as #rrggbb. */
function colours(theme: (typeof themes)[number]): ReadonlyMap<string, string> {
  const found = [
    ...tokens.matchAll(/--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g),
  ];
  return new Map(
    found.map(([, name = '', light = '', dark = '']) => [name, theme === 'light' ? light : dark]),
  );
}

/** WCAG 2.2: relative luminance of an sRGB colour. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const pairs = [
  ...['ink', 'faint', 'accent', 'alarm', 'good', 'undecided'].flatMap((text) =>
    ['paper', 'raised', 'canvas'].map((on) => [text, on]),
  ),
  ...[0, 1, 2, 3, 4].flatMap((message) =>
    ['paper', 'raised'].map((on) => [`message-${message}`, on]),
  ),
  ...['ink', 'accent'].map((text) => [text, 'accent-wash']),
  ...['ink', 'alarm'].map((text) => [text, 'alarm-wash']),
  ['on-accent', 'accent'],
];

describe.each(themes)('%s theme', (theme) => {
  it('has text of a contrast of 4.5 or more', () => {
    const values = colours(theme);
    const low = pairs.flatMap(([text = '', on = '']) => {
      const ratio = contrast(values.get(text) ?? '', values.get(on) ?? '');
      return ratio >= 4.5 ? [] : [`${text} on ${on}: ${ratio.toFixed(2)}`];
    });
    expect(low).toEqual([]);
  });

  it('has lines and states that differ from the paper: 3 for what carries meaning alone', () => {
    const values = colours(theme);
    const strong = ['strong-0', 'strong-1', 'strong-2', 'focus'].filter(
      (name) => !(contrast(values.get(name) ?? '', values.get('paper') ?? '') >= 3),
    );
    expect(strong).toEqual([]);
  });
});

it('computes the contrast of black on white as 21', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
});
