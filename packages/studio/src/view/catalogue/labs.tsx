import { labs } from '../../course/exercises.js';
import { linkText } from '../../link/link.js';
import { say } from '../../texts/say.js';
import { catalogueRows } from './data.js';
import './labs.css';

/** Exercises by topic, folded. */
export const Labs = () => (
  <details>
    <summary>
      {say('Exercises: break it. {labs} labs of about half an hour', { labs: labs.length })}
    </summary>
    <div class="labs">
      {labs.map(({ title, aim, minutes, exercises }) => (
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
        </section>
      ))}
    </div>
  </details>
);

const titleOf = (protocol: string): string =>
  catalogueRows().find(({ name }) => name === protocol)?.title ?? protocol;
