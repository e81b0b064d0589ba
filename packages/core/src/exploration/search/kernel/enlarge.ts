/** A copy of twice the length. */
export function enlarge(array: Int32Array): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(2 * array.length);
  wider.set(array);
  return wider;
}
