import { labs } from '../../course/exercises.js';
import type { ExerciseRow } from '../../course/page-exercise.js';
import { linkText } from '../../link/link.js';
import { writtenName } from '../../playground/written.js';
import { say } from '../../texts/say.js';
import { catalogueRows, pageData } from './data.js';
import './labs.css';

const kindTexts = {
  mend: 'Mend it: a chart has a mistake. {minutes} minutes, in an editor.',
  write: 'Write it: the chart, from its rules. {minutes} minutes, in an editor.',
  say: 'Say it: properties that notice mistakes. {minutes} minutes, in an editor.',
} as const;

/** Exercises by topic, folded. */
export function Labs() {
  const codes = pageData<readonly ExerciseRow[]>('course') ?? [];
  return (
    <details>
      <summary>
        {say('Exercises: break it, mend it, say it, write it. {labs} labs', { labs: labs.length })}
      </summary>
      <div class="labs">
        {labs.map(({ title, aim, minutes, exercises }, index) => (
          <section key={title} class="card stack" aria-label={say(title)}>
            <h3>{say(title)}</h3>
            <p>{say('You learn {aim}. {minutes} minutes.', { aim: say(aim), minutes })}</p>
            {exercises.map(({ link, broken }) => (
              <p key={linkText(link)}>
                <a href={`#${linkText(link)}`}>{titleOf(link.setup.protocol)}</a>
                <small>
                  {say('{broken} Violate: {property}.', {
                    broken: say(broken),
                    property: link.goal.property,
                  })}
                </small>
              </p>
            ))}
            {codes.map(
              ({ kind, name, lab, protocol, minutes }) =>
                lab === index + 1 && (
                  <p key={name}>
                    <a href={`#${writtenName}?exercise=${name}`}>{titleOf(protocol)}</a>
                    <small>{say(kindTexts[kind], { minutes })}</small>
                  </p>
                ),
            )}
          </section>
        ))}
      </div>
    </details>
  );
}

const titleOf = (protocol: string): string =>
  catalogueRows().find(({ name }) => name === protocol)?.title ?? protocol;
