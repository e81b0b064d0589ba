import { labs } from '../../course/exercises.js';
import { linkText } from '../../link/link.js';
import { catalogueRows } from './data.js';
import './labs.css';

/** Exercises by topic, folded. */
export const Labs = () => (
  <details>
    <summary>{`Exercises: break it. ${labs.length} labs of about half an hour`}</summary>
    <div class="labs">
      {labs.map(({ title, aim, minutes, exercises }) => (
        <section key={title} class="card stack" aria-label={title}>
          <h3>{title}</h3>
          <p>{`You learn ${aim}. ${minutes} minutes.`}</p>
          {exercises.map(({ link, broken }) => (
            <p key={linkText(link)}>
              <a href={`#${linkText(link)}`}>{titleOf(link.setup.protocol)}</a>
              <small>{`${broken} Violate: ${link.goal.property}.`}</small>
            </p>
          ))}
        </section>
      ))}
    </div>
  </details>
);

const titleOf = (protocol: string): string =>
  catalogueRows().find(({ name }) => name === protocol)?.title ?? protocol;
