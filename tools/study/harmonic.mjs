/**
 * Harmonic numbers H(m) = 1 + 1/2 + … + 1/m with proved digits: each number is a whole one in units
 * of 10^−60, and comes with the largest error that it may have.
 *
 * @typedef {{ readonly value: bigint, readonly error: bigint }} Ball
 */

const places = 60;
const unit = 10n ** BigInt(places);

/** @returns {Ball} */
const quotient = (p, q) => ({ value: (p * unit) / q, error: 1n });

/** @returns {Ball} */
export const sum = (...balls) =>
  balls.reduce((a, b) => ({ value: a.value + b.value, error: a.error + b.error }), {
    value: 0n,
    error: 0n,
  });

/** @returns {Ball} */
export const whole = (number) => ({ value: BigInt(number) * unit, error: 0n });

/** @returns {Ball} */
export const times = ({ value, error }, p, q) => ({
  value: (value * BigInt(p)) / BigInt(q),
  error: (error * BigInt(p)) / BigInt(q) + 2n,
});

const negative = ({ value, error }) => ({ value: -value, error });

/**
 * ln(p/q) = 2 artanh((p − q)/(p + q)), by its series, for p/q from 1/2 to 2. Each power is at most 2
 * units too small and the series ends with a power of 0, so no term errs by more than 3.
 */
function logarithmOf(p, q) {
  const [a, b] = [p - q, p + q];
  let power = (a * unit) / b;
  let value = 0n;
  let terms = 1n;
  for (let divisor = 1n; power !== 0n; divisor += 2n) {
    value += power / divisor;
    power = (power * a * a) / (b * b);
    terms++;
  }
  return { value: 2n * value, error: 6n * terms };
}

/** The natural logarithm of a whole number. @returns {Ball} */
export function logarithm(m) {
  const doublings = m.toString(2).length - 1;
  const ln2 = logarithmOf(2n, 1n);
  return sum(times(ln2, doublings, 1), logarithmOf(m, 2n ** BigInt(doublings)));
}

/** B(2j)/2j for j = 1, 2, … with the Bernoulli numbers B(2j). */
const coefficients = [
  [1n, 12n],
  [-1n, 120n],
  [1n, 252n],
  [-1n, 240n],
  [1n, 132n],
  [-691n, 32760n],
];
/** The next of them bounds what is left out. */
const omitted = [1n, 12n];

/**
 * H(m) − Euler's constant, by the Euler–Maclaurin formula: ln m + 1/2m − Σ B(2j)/(2j·m^2j). The rest
 * is smaller than the first term that is left out.
 */
function withoutConstant(m) {
  const terms = coefficients.map(([p, q], index) =>
    negative(quotient(p, q * m ** BigInt(2 * index + 2))),
  );
  const [p, q] = omitted;
  const rest = quotient(p, q * m ** BigInt(2 * coefficients.length + 2));
  const { value, error } = sum(logarithm(m), quotient(1n, 2n * m), ...terms);
  return { value, error: error + rest.value + rest.error };
}

/** Added up term by term. @returns {Ball} */
export function addedUp(m) {
  let value = 0n;
  for (let k = 1n; k <= m; k++) value += unit / k;
  return { value, error: BigInt(m) };
}

/** Up to here H is added up. Beyond it, Euler's constant cancels out between two expansions. */
const base = 1000n;

/** H(m). @returns {Ball} */
export function harmonic(number) {
  const m = BigInt(number);
  if (m <= base) return addedUp(m);
  return sum(addedUp(base), withoutConstant(m), negative(withoutConstant(base)));
}

/** H(m) as a fraction in lowest terms. */
export function harmonicFraction(m) {
  let [p, q] = [0n, 1n];
  for (let k = 1n; k <= BigInt(m); k++) [p, q] = [p * k + q, q * k];
  const divisor = commonDivisor(p, q);
  return [p / divisor, q / divisor];
}

export const commonDivisor = (a, b) => (b === 0n ? a : commonDivisor(b, a % b));

/**
 * So many digits behind the point, all of which are right, and `…`.
 *
 * @param {Ball} ball not negative
 */
export function digitsOf({ value, error }, digits) {
  const cut = 10n ** BigInt(places - digits);
  const [low, high] = [(value - error) / cut, (value + error) / cut];
  if (low !== high) throw new Error(`${digits} digits are not proved: ${low} or ${high}.`);
  const text = String(low).padStart(digits + 1, '0');
  return `${text.slice(0, -digits)}.${text.slice(-digits)}…`;
}

/** As a floating-point number. */
export const toNumber = ({ value }) => Number(value / 10n ** BigInt(places - 18)) / 1e18;

/** `1/9,900`. */
export const fraction = ([p, q]) =>
  q === 1n || p === 0n
    ? p.toLocaleString('en')
    : `${p.toLocaleString('en')}/${q.toLocaleString('en')}`;
