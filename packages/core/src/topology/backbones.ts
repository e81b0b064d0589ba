import { propagationDelay } from './measures.js';
import { edge, type Place, Topology } from './topology.js';

/**
 * A site's name, its degrees north and east, and its links; each link is listed at one of its two
 * ends.
 */
type Site = readonly [name: string, latitude: number, longitude: number, links: readonly string[]];

/**
 * Abilene, the backbone of Internet2 in 2004: 11 routers in the United States, 14 links. Nodes, as
 * in all backbones here, are listed along a round trip over links, so that a logical ring over them
 * is short.
 */
export function abilene(): Topology {
  return backbone('abilene', [
    ['Seattle', 47.61, -122.33, ['Sunnyvale', 'Denver']],
    ['Sunnyvale', 37.37, -122.04, ['Los Angeles', 'Denver']],
    ['Los Angeles', 34.05, -118.24, ['Houston']],
    ['Houston', 29.76, -95.37, ['Atlanta', 'Kansas City']],
    ['Atlanta', 33.75, -84.39, ['Washington', 'Indianapolis']],
    ['Washington', 38.91, -77.04, ['New York']],
    ['New York', 40.71, -74.01, ['Chicago']],
    ['Chicago', 41.88, -87.63, ['Indianapolis']],
    ['Indianapolis', 39.77, -86.16, ['Kansas City']],
    ['Kansas City', 39.1, -94.58, ['Denver']],
    ['Denver', 39.74, -104.99, []],
  ]);
}

/**
 * NSFNET's T1 backbone of 1991, as the literature on optical networks draws it: 14 sites in the
 * United States, 21 links.
 */
export function nsfnet(): Topology {
  return backbone('nsfnet', [
    ['Seattle', 47.61, -122.33, ['Palo Alto', 'San Diego', 'Champaign']],
    ['Palo Alto', 37.44, -122.14, ['San Diego', 'Salt Lake City']],
    ['San Diego', 32.72, -117.16, ['Houston']],
    ['Houston', 29.76, -95.37, ['Atlanta', 'Boulder', 'College Park']],
    ['Atlanta', 33.75, -84.39, ['Pittsburgh']],
    ['Pittsburgh', 40.44, -80.0, ['Ithaca', 'Princeton', 'Champaign']],
    ['Ithaca', 42.44, -76.5, ['College Park', 'Ann Arbor']],
    ['College Park', 38.98, -76.94, ['Princeton']],
    ['Princeton', 40.35, -74.66, ['Ann Arbor']],
    ['Ann Arbor', 42.28, -83.74, ['Salt Lake City']],
    ['Salt Lake City', 40.76, -111.89, ['Boulder']],
    ['Boulder', 40.01, -105.27, ['Lincoln']],
    ['Lincoln', 40.81, -96.68, ['Champaign']],
    ['Champaign', 40.12, -88.24, []],
  ]);
}

/**
 * A backbone in the likeness of GÉANT, which joins Europe's research networks: 30 cities, 48 links.
 */
export function geant(): Topology {
  return backbone('geant', [
    ['Dublin', 53.35, -6.26, ['London', 'Frankfurt']],
    ['London', 51.51, -0.13, ['Lisbon', 'Paris', 'Brussels', 'Amsterdam']],
    ['Lisbon', 38.72, -9.14, ['Madrid']],
    ['Madrid', 40.42, -3.7, ['Geneva', 'Paris']],
    ['Geneva', 46.2, 6.14, ['Marseille', 'Milan', 'Paris', 'Frankfurt']],
    ['Marseille', 43.3, 5.37, ['Milan']],
    ['Milan', 45.46, 9.19, ['Athens', 'Vienna']],
    ['Athens', 37.98, 23.73, ['Sofia']],
    ['Sofia', 42.7, 23.32, ['Bucharest', 'Budapest']],
    ['Bucharest', 44.43, 26.1, ['Budapest']],
    ['Budapest', 47.5, 19.04, ['Zagreb', 'Bratislava']],
    ['Zagreb', 45.81, 15.98, ['Ljubljana']],
    ['Ljubljana', 46.06, 14.51, ['Vienna']],
    ['Vienna', 48.21, 16.37, ['Bratislava', 'Frankfurt']],
    ['Bratislava', 48.15, 17.11, ['Prague']],
    ['Prague', 50.09, 14.42, ['Poznań', 'Frankfurt']],
    ['Poznań', 52.41, 16.93, ['Kaunas', 'Hamburg']],
    ['Kaunas', 54.9, 23.9, ['Riga']],
    ['Riga', 56.95, 24.11, ['Tallinn']],
    ['Tallinn', 59.44, 24.75, ['Helsinki', 'Hamburg']],
    ['Helsinki', 60.17, 24.94, ['Stockholm']],
    ['Stockholm', 59.33, 18.07, ['Oslo', 'Copenhagen']],
    ['Oslo', 59.91, 10.75, ['Copenhagen']],
    ['Copenhagen', 55.68, 12.57, ['Hamburg', 'Amsterdam']],
    ['Hamburg', 53.55, 9.99, ['Amsterdam', 'Frankfurt']],
    ['Amsterdam', 52.37, 4.9, ['Brussels', 'Frankfurt']],
    ['Brussels', 50.85, 4.35, ['Paris']],
    ['Paris', 48.86, 2.35, ['Luxembourg']],
    ['Luxembourg', 49.61, 6.13, ['Frankfurt']],
    ['Frankfurt', 50.11, 8.68, []],
  ]);
}

function backbone(spec: string, sites: readonly Site[]): Topology {
  const places = new Map(
    sites.map(([name, latitude, longitude]): [string, Place] => [
      idOf(name),
      { name, latitude, longitude },
    ]),
  );
  const links = sites.flatMap(([name, , , neighbours]) =>
    neighbours.flatMap((neighbour) => fibre(places, idOf(name), idOf(neighbour))),
  );
  return new Topology(spec, [...places.keys()], links, places);
}

function fibre(places: ReadonlyMap<string, Place>, a: string, b: string) {
  const [from, to] = [places.get(a), places.get(b)];
  return edge(a, b, from && to && propagationDelay(from, to));
}

/** `New York` → `new-york`, `Poznań` → `poznan`. */
const idOf = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(' ', '-');
