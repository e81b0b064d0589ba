import { attempt } from '../studio.js';

export interface PickFileProps {
  readonly label: string;
  readonly onPick: (text: string, name: string) => unknown;
}

/** A button that opens a file of the reader. */
export const PickFile = ({ label, onPick }: PickFileProps) => (
  <label class="button">
    {label}
    <input
      type="file"
      class="unseen"
      onChange={({ currentTarget }) => {
        const [file] = currentTarget.files ?? [];
        if (file) void attempt(async () => onPick(await file.text(), file.name));
        currentTarget.value = ''; // the same file may be chosen again
      }}
    />
  </label>
);
