import { describe, expect, it } from 'vitest';
import { conclave, fixture, json, refuses, words } from '../fixtures/conclave.js';

describe('conclave chart', () => {
  it('prints Mermaid, by id or by name', async () => {
    const { exitCode, stdout } = await conclave(['chart', 'A3']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^stateDiagram-v2\n[\s\S]* wanted --> held : /);
    expect(await conclave(['chart', 'ricart-agrawala'])).toEqual({
      exitCode: 0,
      stdout,
      stderr: '',
    });
  });

  it('prints the specification', async () => {
    const { stdout } = await conclave(words`chart A7 --option piggyback --format markdown`);
    expect(stdout).toContain('```mermaid\nstateDiagram-v2\n');
    expect(stdout).toContain('token-and-request');
  });

  it('--json has the same text', async () => {
    const { stdout } = await conclave(['chart', 'B3']);
    expect((await json('chart', 'B3')).value).toEqual({
      protocol: 'lelann-chang-roberts',
      format: 'mermaid',
      text: stdout,
    });
  });

  it("draws a module's protocol", async () => {
    const { stdout } = await conclave(['chart', fixture('ping-pong.js'), '--export', 'pingPong']);
    expect(stdout).toContain('idle --> served : serve / pass');
  });

  it('puts the name of each role above its chart', async () => {
    const { stdout } = await conclave(['chart', fixture('client-server.js')]);
    expect(stdout).toMatch(
      /^%% role server\nstateDiagram-v2\n[\s\S]*\n%% role client\nstateDiagram-v2\n/,
    );
  });

  it('prints SCXML, the config as JSON, and a drawing', async () => {
    const [scxml, config, svg] = await Promise.all(
      ['scxml', 'json', 'svg'].map((format) => conclave(['chart', 'A3', '--format', format])),
    );
    expect(scxml?.stdout).toContain('<transition event="request" cond="oursIsOlder()">');
    expect(JSON.parse(config?.stdout ?? '')).toMatchObject({ initial: 'released' });
    expect(svg?.stdout).toContain('<title>Ricart–Agrawala</title>');
    expect(svg?.stdout).toContain('data-state="wanted"');
  });

  it('--role: one of several', async () => {
    const { stdout } = await conclave(['chart', 'A1', '--role', 'client', '--format', 'scxml']);
    expect(stdout).toContain('name="client" initial="released"');
  });

  refuses('chart', {
    'A1 --format json': /has the roles coordinator, client, and json has one.*--role coordinator/,
    'A1 --role server': /has no role 'server'.*Its roles: coordinator, client\./,
    'A1 --role client --format markdown': /has all roles.*Leave --role out/,
    'A3 --format html':
      "error: option '--format <format>' argument 'html' is invalid. Allowed choices are mermaid, markdown, svg, json, scxml. See conclave chart --help.\n",
  });
});
