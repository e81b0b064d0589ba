import { loaders } from '../../model/catalogue.js';

export function Catalogue() {
  return (
    <ul>
      {loaders.map(({ id, name }) => (
        <li key={id}>
          <a href={`#${name}`}>
            {id} {name}
          </a>
        </li>
      ))}
    </ul>
  );
}
