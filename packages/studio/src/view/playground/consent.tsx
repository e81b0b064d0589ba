import { say } from '../../texts/say.js';
import { Button } from '../parts/button.js';
import { Popover } from '../parts/popover.js';
import { attempt } from '../studio.js';

interface ConsentProps {
  readonly label: string;
  readonly title: string;
  readonly onAgree: () => Promise<void>;
}

/** Before a module runs in the page itself. */
export const Consent = ({ label, title, onAgree }: ConsentProps) => (
  <Popover label={label} title={title}>
    {(close) => (
      <div class="consent stack">
        <p>
          {say(
            'There the module runs in this page, and no longer in a worker that is ended after a while: open only what you trust.',
          )}
        </p>
        <Button
          kind="primary"
          onClick={() => {
            close();
            void attempt(onAgree);
          }}
        >
          {say('I trust it: open')}
        </Button>
      </div>
    )}
  </Popover>
);
