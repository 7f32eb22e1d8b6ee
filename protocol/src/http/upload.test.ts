import { describe, expect, it } from 'vitest';
import { PACK_MEDIA_TYPE, routes } from '../api/index.js';
import { checkCall } from './call.js';
import { openApiPath } from './open-api.js';

const NONE = { params: {}, queries: {}, headers: {} };

function asked(type: string | null) {
  let pulled = false;
  const body = new ReadableStream(
    {
      pull: () => {
        pulled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const headers = type === null ? {} : { 'content-type': type };
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
  const request = new Request('http://node/api/packs', init);
  return { request, isPulled: () => pulled };
}

describe('a route that takes an upload', () => {
  it.each([PACK_MEDIA_TYPE, PACK_MEDIA_TYPE.toUpperCase(), `${PACK_MEDIA_TYPE} ; v=1`])(
    'takes %j and leaves the body to whoever answers',
    async (type) => {
      const { request, isPulled } = asked(type);
      expect(await checkCall(routes.importPack, { request, ...NONE }, 0)).toMatchObject({
        body: null,
      });
      expect(isPulled()).toBe(false);
      expect(request.bodyUsed).toBe(false);
    },
  );

  it.each([null, '', 'application/json', `x${PACK_MEDIA_TYPE}`, `text/plain, ${PACK_MEDIA_TYPE}`])(
    'refuses %j without reading',
    async (type) => {
      const { request, isPulled } = asked(type);
      await expect(checkCall(routes.importPack, { request, ...NONE }, 0)).rejects.toMatchObject({
        code: 'unsupported-media-type',
        message: expect.stringContaining(PACK_MEDIA_TYPE),
      });
      expect(isPulled()).toBe(false);
    },
  );

  it('is documented with its media type', () => {
    const { request } = openApiPath(routes.importPack);
    expect(request).toMatchObject({ body: { content: { [PACK_MEDIA_TYPE]: {} } } });
  });
});
