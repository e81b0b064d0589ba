/** How many colours there are before they come round again. */
export const stateColours = 6;
export const strongColours = 3;
export const messageColours = 5;

const light = {
  paper: '#ffffff',
  ink: '#1f2933',
  faint: '#7b8794',
  lane: '#9aa5b1',
  guide: '#e4e7eb',
  states: ['#f0b429', '#8fb8ed', '#c3a6e6', '#7fd1c7', '#f2a7c3', '#c5cf7a'],
  strong: ['#2f9e5f', '#3b6fd4', '#b8432f'],
  messages: ['#1d5fbf', '#b4500f', '#7237a8', '#08746b', '#a6215f'],
  alarm: '#c81e1e',
};

const dark: typeof light = {
  paper: '#12171e',
  ink: '#e4e7eb',
  faint: '#8f9bab',
  lane: '#616e7c',
  guide: '#252d38',
  states: ['#a97d18', '#3f68a0', '#70529a', '#2c7d75', '#97456a', '#6f7a2a'],
  strong: ['#38b26d', '#5f8ff0', '#dd6a54'],
  messages: ['#7fb0f5', '#f0a468', '#c49af0', '#5fd0c5', '#f08bb8'],
  alarm: '#f26d6d',
};

function colours(theme: typeof light): string {
  const rule = (selector: string, declarations: string) =>
    `.space-time ${selector}{${declarations}}`;
  return [
    rule('.paper', `fill:${theme.paper};stroke:${theme.guide}`),
    rule('text', `fill:${theme.ink}`),
    rule('.label,.space-time .note,.space-time .mark text', `stroke:${theme.paper}`),
    rule('.lane', `stroke:${theme.lane}`),
    rule('.crashed', `stroke:${theme.paper}`),
    rule('.axis', `stroke:${theme.lane}`),
    rule('.guide', `stroke:${theme.guide}`),
    rule('.time,.space-time .unit', `fill:${theme.faint}`),
    rule('.step', `fill:${theme.ink}`),
    rule('.veil', `fill:${theme.paper}`),
    rule('.cursor', `stroke:${theme.faint}`),
    rule('.filled', `fill:${theme.ink}`),
    rule('.hollow', `fill:${theme.paper};stroke:${theme.ink}`),
    ...theme.states.map((colour, index) => rule(`.state${index}`, `fill:${colour}`)),
    ...theme.strong.map((colour, index) => rule(`.strong${index}`, `fill:${colour}`)),
    ...theme.messages.map((colour, index) => rule(`.message${index} path`, `stroke:${colour}`)),
    ...theme.messages.map((colour, index) =>
      rule(`.message${index} .tip,.space-time text.message${index}`, `fill:${colour}`),
    ),
    rule('.message .cross,.space-time .mark .cross', `stroke:${theme.alarm}`),
  ].join('');
}

const page: typeof light = {
  paper: 'var(--paper)',
  ink: 'var(--ink)',
  faint: 'var(--faint)',
  lane: 'var(--line)',
  guide: 'var(--guide)',
  states: light.states.map((_, index) => `var(--state-${index})`),
  strong: light.strong.map((_, index) => `var(--strong-${index})`),
  messages: light.messages.map((_, index) => `var(--message-${index})`),
  alarm: 'var(--alarm)',
};

/** Whatever the colours are. */
const shapes = [
  '.space-time{font-family:sans-serif;font-size:11px}',
  '.space-time path{fill:none}',
  '.space-time .heading{font-size:14px;font-weight:600}',
  '.space-time .node{font-size:13px;font-weight:600;text-anchor:end}',
  '.space-time .unit{font-size:10px;text-anchor:end}',
  '.space-time .time{font-size:10px;text-anchor:middle}',
  '.space-time .lane,.space-time .axis,.space-time .guide{stroke-width:1}',
  '.space-time .crashed{stroke-width:2;stroke-dasharray:3 4}',
  '.space-time .message path{stroke-width:1.4;stroke-linecap:round}',
  '.space-time .message .tip{stroke:none}',
  '.space-time .pending .line{stroke-dasharray:5 4}',
  '.space-time .label{text-anchor:middle}',
  '.space-time .note{font-size:9px;font-style:italic}',
  '.space-time .label,.space-time .note,.space-time .mark text{paint-order:stroke;stroke-width:3;stroke-linejoin:round}',
  '.space-time .message .cross,.space-time .mark .cross{stroke-width:2.2;stroke-linecap:round}',
].join('');

/**
 * The style sheet of a space-time diagram: its own paper, light or dark as the reader's system is.
 */
export const drawingStyle = `${shapes}${colours(light)}@media (prefers-color-scheme:dark){${colours(dark)}}`;

/** The same, with the colours of the page around it. */
export const pageStyle = shapes + colours(page);
