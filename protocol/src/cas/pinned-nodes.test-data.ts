import type { NodeType } from './node-types.js';

/** Stored bytes and hash of each sample payload: the format, for good. */
export const pinnedNodes: { [T in NodeType]: { hash: string; text: string } } = {
  bytes: {
    hash: 'PEYETXH86Z556',
    text: '{"payload":{"base64":"/wAB"},"refs":[],"type":"bytes"}',
  },
  content: {
    hash: '5851XSTYWMVQW',
    text: '{"payload":{"text":"Grüße \\"quoted\\"\\n"},"refs":[],"type":"content"}',
  },
  definition: {
    hash: 'VP2BH3JCHVRY8',
    text: '{"payload":{"budget":{"tokens":1000,"usd":null},"description":null,"graph":{"__start__":{"_":{"prompt":null,"role":"build"}},"build":{"failed":{"prompt":null,"role":"build"},"ok":{"prompt":"Done","role":"__end__"}}},"inputs":{"properties":{"branch":{"type":"string"}},"type":"object"},"maxSteps":20,"moderator":null,"name":"ship-it","roles":{"build":{"agent":null,"capabilities":null,"description":"Builds","frontmatter":{"properties":{"$status":{"enum":["ok","failed"]}},"type":"object"},"goal":null,"maxVisits":3,"output":null,"procedure":null,"retry":{"backoff":null,"maxAttempts":2},"run":"make","timeout":90000,"workspace":{"worktree":true}}}},"refs":[],"type":"definition"}',
  },
  parts: {
    hash: 'AGSSFNFACB5QT',
    text: '{"payload":{"parts":["XX3DPDTHV3MSJ","8JY2SXDDEW4SJ"],"size":2097152},"refs":["8JY2SXDDEW4SJ","XX3DPDTHV3MSJ"],"type":"parts"}',
  },
  session: {
    hash: 'E5MAFW4YG4Q2T',
    text: '{"payload":{"agent":"opencode","durationMs":1200,"role":"build","totalTokens":{"cacheRead":2,"cacheWrite":1,"input":10,"output":5},"turns":["8JY2SXDDEW4SJ","XX3DPDTHV3MSJ"]},"refs":["8JY2SXDDEW4SJ","XX3DPDTHV3MSJ"],"type":"session"}',
  },
  start: {
    hash: 'PHDR4QH862NNW',
    text: '{"payload":{"bundle":null,"definition":"8JY2SXDDEW4SJ","depth":0,"inputs":{"branch":"main"},"parentState":null,"prompt":"XX3DPDTHV3MSJ","workflow":"ship-it","workspace":"/srv/repo"},"refs":["8JY2SXDDEW4SJ","XX3DPDTHV3MSJ"],"type":"start"}',
  },
  state: {
    hash: 'AAF3AWS5G66JG',
    text: '{"payload":{"agent":"run","ancestors":["XX3DPDTHV3MSJ","8JY2SXDDEW4SJ"],"attempt":1,"childThread":"01ARZ3NDEKTSV4RRFFQ69G5FAV","compact":null,"content":"8JY2SXDDEW4SJ","meta":{"$status":"ok","files":["a","b"],"ratio":0.5},"role":"build","session":null,"start":"XX3DPDTHV3MSJ","startedAt":1700000000000,"timestamp":1700000000500,"usage":{"cacheRead":2,"cacheWrite":1,"input":10,"output":5}},"refs":["8JY2SXDDEW4SJ","XX3DPDTHV3MSJ"],"type":"state"}',
  },
  toolCall: {
    hash: '69NDB9B47TKN2',
    text: '{"payload":{"arguments":"8JY2SXDDEW4SJ","durationMs":4,"name":"read_file","result":null},"refs":["8JY2SXDDEW4SJ"],"type":"toolCall"}',
  },
  turn: {
    hash: 'V735CH4FBF322',
    text: '{"payload":{"input":"8JY2SXDDEW4SJ","latencyMs":300,"output":null,"reasoning":"XX3DPDTHV3MSJ","tokens":null,"toolCalls":["8JY2SXDDEW4SJ"]},"refs":["8JY2SXDDEW4SJ","XX3DPDTHV3MSJ"],"type":"turn"}',
  },
};
