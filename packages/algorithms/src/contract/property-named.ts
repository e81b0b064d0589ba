export const propertyNamed = <P extends { readonly name: string }>(
  all: readonly P[],
  name: string,
): P => {
  const found = all.find((p) => p.name === name);
  if (!found) throw new Error(`no property '${name}': ${all.map((p) => p.name).join(', ')}`);
  return found;
};
