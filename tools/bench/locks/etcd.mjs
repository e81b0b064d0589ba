import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import { load } from '@grpc/proto-loader';

const descriptions = ['etcd-lock.proto', 'etcd-keys.proto'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);

/** The lock service of etcd: those that wait have it in their order. One lease for the session. */
export async function open({ urls, network }) {
  const { v3lockpb, etcdserverpb } = grpc.loadPackageDefinition(
    await load(descriptions, { keepCase: true, longs: String }),
  );
  const client = (Service) => new Service(urls.etcd, grpc.credentials.createInsecure());
  const [locks, leases, keys] = [v3lockpb.Lock, etcdserverpb.Lease, etcdserverpb.KV].map(client);
  const call = (service, method, request) =>
    new Promise((resolve, reject) =>
      service[method](request, (error, answer) => (error ? reject(error) : resolve(answer))),
    );
  // longer than a measurement: nobody needs to renew it
  const { ID: lease } = await call(leases, 'LeaseGrant', { TTL: 60 });
  const name = Buffer.from(network);
  const acquire = async () => {
    const { key } = await call(locks, 'Lock', { name, lease });
    return () => call(locks, 'Unlock', { key });
  };
  const ping = () => call(keys, 'Range', { key: Buffer.from('ping'), serializable: true });
  return { acquire, roundTrips: async () => ping };
}
