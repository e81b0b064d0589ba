import { say } from '../../texts/say.js';
import { assign } from '../parts/assign.js';
import { Button } from '../parts/button.js';
import { Icon } from '../parts/icon.js';
import { problem } from '../studio.js';

/** What went wrong: what, where, what to try. */
export function Alert() {
  const { value: error } = problem;
  if (!error) return null;
  return (
    <div class="alert" role="alert">
      <Icon name="cross" />
      <div>
        <strong>{error.what}</strong>
        {error.cure && <p>{error.cure}</p>}
      </div>
      <Button
        kind="quiet"
        icon="cross"
        title={say('Close this message')}
        onClick={assign(problem, undefined)}
      />
    </div>
  );
}
