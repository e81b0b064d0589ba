import type { Walks } from '@conclave/core/exploration';
import type { Session } from '../session.js';
import { leftOutText, type Setting, settingText } from './check-summary.js';
import { counterexample } from './counterexample.js';
import { verdictTable } from './findings.js';
import { counted, number } from './numbers.js';
import { whatToTry } from './what-to-try.js';

/** What `check --walks` prints for people; `again` is the command that takes the same walks. */
export function walkSummary(
  setting: Setting,
  result: Walks,
  longest: number,
  again: string,
  { colours }: Pick<Session, 'colours'>,
): string {
  const { yellow } = colours;
  const { seed, walks, steps, states, properties } = result;
  const rows = [
    ['walks', `${number(walks)} of up to ${counted(longest, 'step')}; seed ${seed}`],
    ['met', `${counted(states, 'state')} in ${counted(steps, 'step')}`],
  ];
  return [
    settingText(setting, rows, colours),
    `${verdictTable(properties, colours)}${leftOutText(setting.leftOut)}`,
    `${yellow('INCOMPLETE:')} walks prove nothing. They can refute what is asked of states; of what runs promise in the end they judge nothing.\n`,
    ...properties.filter(({ verdict }) => verdict === 'violated').map((finding) => counterexample(finding, colours)),
    whatToTry(setting, properties),
    `Again: ${again}\n`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}
