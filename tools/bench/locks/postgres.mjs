import pg from 'pg';

/** An advisory lock of a session: the server wakes those that wait in their order. */
export async function open({ urls, number }) {
  const client = new pg.Client({ connectionString: urls.postgres });
  await client.connect();
  const query = (name, text) => client.query({ name, text, values: [number] });
  const acquire = async () => {
    await query('acquire', 'select pg_advisory_lock($1)');
    return () => query('release', 'select pg_advisory_unlock($1)');
  };
  return { acquire, roundTrips: async () => () => query('ping', 'select $1::bigint') };
}
