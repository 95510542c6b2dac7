import { Button, Group, Modal, Skeleton, Stack, Textarea } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { currentShop } from "../api/client";
import { Failure } from "../frame/Failure";
import { useWords } from "../words";
import { describe, fileQuery, type MediaFile } from "./library";
import { failed, told } from "./notice";
import { Picture } from "./Picture";

// AltDialog edits what a picture says to those who do not see it, wherever the shop shows it.
export default function AltDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { say } = useWords();
  const shop = currentShop();
  const file = useQuery(fileQuery(shop, id));
  return (
    <Modal opened onClose={onClose} title={say("altText")} closeButtonProps={{ "aria-label": say("close") }}>
      {file.isError && <Failure error={file.error} retry={() => void file.refetch()} />}
      {file.isPending && <Skeleton h={160} />}
      {file.data && <Form key={file.data.updated_at} shop={shop} file={file.data} onClose={onClose} />}
    </Modal>
  );
}

function Form({ shop, file, onClose }: { shop: string; file: MediaFile; onClose: () => void }) {
  const { say } = useWords();
  const queries = useQueryClient();
  const [alt, setAlt] = useState(file.alt);
  const save = useMutation({
    mutationFn: () => describe(file, alt),
    onSuccess: (saved) => {
      queries.setQueryData(fileQuery(shop, file.id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: [shop, "files"] });
      told(say, say("saved"));
      onClose();
    },
    onError: (error) => failed(say, error),
  });
  return (
    <Stack>
      <Picture id={file.id} size={160} alt={file.alt || file.original_name} />
      <Textarea data-autofocus label={say("altText")} description={say("altHint")} value={alt} onChange={(e) => setAlt(e.currentTarget.value)} autosize minRows={2} maxLength={500} dir="auto" />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {say("cancel")}
        </Button>
        <Button loading={save.isPending} disabled={alt === file.alt} onClick={() => save.mutate()}>
          {say("save")}
        </Button>
      </Group>
    </Stack>
  );
}
