import { execFileSync } from 'node:child_process';

/** A file system of its own in memory, so small that it can be filled. */
export type SmallDisk = { grow: (size: string) => void; remove: () => void };

/** Mounts one of `size` (`4m`) at `path`, an empty directory; needs Linux and root, and throws what `mount` says where that is missing. */
export function mountSmallDisk(path: string, size: string): SmallDisk {
  const mount = (options: string) =>
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'pipe' });
  mount(`size=${size}`);
  return {
    grow: (to) => void mount(`remount,size=${to}`),
    remove: () => void execFileSync('umount', ['-l', path], { stdio: 'pipe' }),
  };
}
