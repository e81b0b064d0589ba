import type { Place } from './topology.js';

const EARTH_RADIUS_KM = 6371;
/** Light in glass fibre travels at about two thirds of its speed in vacuum, 299 792.458 km/s. */
const FIBRE_KM_PER_MS = (299.792458 * 2) / 3;

/**
 * The least delay of a fibre between two places, in milliseconds to three decimals: great-circle
 * distance / (2/3 c).
 */
export function propagationDelay(a: Place, b: Place): number {
  const latitude = radians(b.latitude - a.latitude);
  const longitude = radians(b.longitude - a.longitude);
  const haversine =
    Math.sin(latitude / 2) ** 2 +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.sin(longitude / 2) ** 2;
  return roundedDelay(
    (2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(haversine)))) / FIBRE_KM_PER_MS,
  );
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/**
 * Rounded to the microsecond, which hides the last bits of a sine that platforms may compute
 * differently.
 */
export const roundedDelay = (milliseconds: number): number =>
  Math.round(milliseconds * 1000) / 1000;
