// Files from the user: dropped files and folders, pasted files, and the two
// file choosers. Folders are read whole; of these only clips are taken.

import { byId } from './dom';

export interface Chosen {
  file: File;
  path: string;
}

// The names of clips in a folder. A file that is chosen itself is always
// taken: the engine says what it is.
const CLIP = /\.(bvh|anim)(\.gz)?$/i;

export function acceptFiles(opened: (chosen: Chosen[]) => void): void {
  const target = byId('target');
  let depth = 0;
  const show = (by: number) => {
    depth = Math.max(0, depth + by);
    target.hidden = depth === 0;
  };
  addEventListener('dragenter', (event) => {
    if (hasFiles(event)) show(1);
  });
  addEventListener('dragleave', (event) => {
    if (hasFiles(event)) show(-1);
  });
  addEventListener('dragover', (event) => {
    if (hasFiles(event)) event.preventDefault();
  });
  addEventListener('drop', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    show(-depth);
    filesOf(event.dataTransfer!).then(opened);
  });
  addEventListener('paste', (event) => {
    const files = [...event.clipboardData?.files ?? []];
    if (files.length > 0) {
      opened(files.map((file) => ({ file, path: file.name })));
    }
  });
  for (const id of ['files', 'folder']) {
    const input = byId<HTMLInputElement>(id);
    input.addEventListener('change', () => {
      const files = [...input.files ?? []];
      input.value = '';
      opened(sorted(files
          .map((file) => ({ file, path: file.webkitRelativePath || file.name }))
          .filter(({ path }) => id === 'files' || CLIP.test(path))));
    });
  }
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

function sorted(chosen: Chosen[]): Chosen[] {
  return chosen.sort((a, b) =>
    a.path.localeCompare(b.path, 'en', { numeric: true }));
}

async function filesOf(transfer: DataTransfer): Promise<Chosen[]> {
  // The items are void after the first await.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const files = [...transfer.files];
  if (entries.every((entry) => entry === null)) {
    return sorted(files.map((file) => ({ file, path: file.name })));
  }
  const chosen: Chosen[] = [];
  for (const entry of entries) {
    if (entry !== null) await walk(entry, entry.isDirectory, chosen);
  }
  return sorted(chosen);
}

// Adds the files below an entry, without recursion on folders.
async function walk(root: FileSystemEntry, onlyClips: boolean,
                    chosen: Chosen[]): Promise<void> {
  const waiting = [root];
  for (;;) {
    const entry = waiting.pop();
    if (entry === undefined) return;
    if (entry.isDirectory) {
      waiting.push(...await entriesOf(entry as FileSystemDirectoryEntry));
    } else if (!onlyClips || CLIP.test(entry.name)) {
      const file = await new Promise<File>((resolve, reject) =>
        (entry as FileSystemFileEntry).file(resolve, reject));
      chosen.push({ file, path: entry.fullPath.replace(/^\//, '') });
    }
  }
}

// readEntries returns 100 entries at most, and none at the end.
async function entriesOf(folder: FileSystemDirectoryEntry):
    Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>(
        (resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
