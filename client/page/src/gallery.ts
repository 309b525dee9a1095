// Takes that come with the page: those of its folder takes/, and those in its
// document.
//
// A program embeds takes by one element before </body> of the single file:
//
//   <script type="application/json" id="bvhmill-takes">
//   [{"name": "walk.bvh", "gzip": "H4sIA..."}]
//   </script>
//
// `gzip` is the base64 of the file, packed by gzip. "<" is written as \u003c,
// so that no name ends the element. The page opens the first one, or shows all
// of them if there are several.

import { unpacked } from './module';
import { makeTake, type Take } from './take';

export async function galleryTakes(): Promise<Take[]> {
  if (SINGLE_FILE) return [];
  const list = await fetch('takes/index.json').catch(() => null);
  if (list === null || !list.ok) return [];
  const names = await list.json() as string[];
  return Promise.all(names.map(async (name) => {
    const response = await fetch(`takes/${encodeURIComponent(name)}`);
    if (!response.ok) throw new Error(`takes/${name}: ${response.status}`);
    return makeTake(await response.blob(), `gallery/${name}`);
  }));
}

export async function embeddedTakes(): Promise<Take[]> {
  const element = document.getElementById('bvhmill-takes');
  if (element === null) return [];
  const rows = JSON.parse(element.textContent ?? '[]') as
      { name: string; gzip: string }[];
  return Promise.all(rows.map(async ({ name, gzip }) =>
    makeTake(new Blob([await unpacked(gzip)]), name)));
}
