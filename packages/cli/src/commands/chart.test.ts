import { describe, expect, it } from 'vitest';
import { conclave, fixture, json } from '../fixtures/conclave.js';

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
    const { stdout } = await conclave([
      'chart',
      'A7',
      '--option',
      'piggyback',
      '--format',
      'markdown',
    ]);
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

  it('refuses a format it does not know', async () => {
    expect(await conclave(['chart', 'A3', '--format', 'html'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        "error: option '--format <format>' argument 'html' is invalid. Allowed choices are mermaid, markdown. See conclave chart --help.\n",
    });
  });
});
