/** The names of the properties that do not hold, or are not reached. */
export const failing = ({
  properties,
}: {
  readonly properties: readonly { readonly name: string; readonly verdict: string }[];
}): readonly string[] =>
  properties.flatMap(({ name, verdict }) =>
    verdict === 'holds' || verdict === 'reached' ? [] : [name],
  );
