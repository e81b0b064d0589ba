import { say } from '../../texts/say.js';
import { Button } from '../parts/button.js';

const intoView = (element: Element | null): void => element?.scrollIntoView({ block: 'nearest' });

export interface ApplyProps {
  /** What is wrong in the form, in any of its fields. */
  readonly error: string | undefined;
  readonly onClick: () => void;
}

/** The end of a form: where somebody looks who has pressed the button. */
export const Apply = ({ error, onClick }: ApplyProps) => (
  <>
    {error !== undefined && (
      <p key={error} class="alarm small" role="alert" ref={intoView}>
        {error}
      </p>
    )}
    <Button kind="primary" onClick={onClick}>
      {say('Apply')}
    </Button>
  </>
);
