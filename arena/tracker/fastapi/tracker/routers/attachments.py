import asyncio
import os
import shutil
import uuid
from pathlib import Path

from fastapi import APIRouter, HTTPException, UploadFile
from fastapi.responses import FileResponse
from sqlalchemy import select

from ..config import settings
from ..database import Attachment, Database
from ..events import commit_with_event
from ..issues import get_issue
from ..schemas import AttachmentOut
from ..security import CurrentUser, Writer

router = APIRouter(prefix="/api", tags=["attachments"])


def keep(upload, path: Path):
    with open(path, "xb") as file:
        shutil.copyfileobj(upload, file)
        file.flush()
        os.fsync(file.fileno())


@router.get("/issues/{issue_id}/attachments")
async def list_attachments(issue_id: int, _: CurrentUser, db: Database) -> list[AttachmentOut]:
    await get_issue(db, issue_id)
    return await db.scalars(select(Attachment).where(Attachment.issue_id == issue_id))


@router.post("/issues/{issue_id}/attachments", status_code=201)
async def attach(issue_id: int, file: UploadFile, user: Writer, db: Database) -> AttachmentOut:
    await get_issue(db, issue_id)
    kept = Path(settings.uploads) / uuid.uuid4().hex
    try:
        await asyncio.to_thread(keep, file.file, kept)
        attachment = Attachment(
            issue_id=issue_id,
            name=Path(file.filename or "unnamed").name,
            size=file.size,
            file=kept.name,
        )
        db.add(attachment)
        await commit_with_event(db, "attached", issue_id, user.name)
    except BaseException:
        kept.unlink(missing_ok=True)
        raise
    return attachment


@router.get("/attachments/{attachment_id}")
async def download(attachment_id: int, _: CurrentUser, db: Database) -> FileResponse:
    attachment = await db.get(Attachment, attachment_id)
    if attachment is None:
        raise HTTPException(404, "There is no such attachment.")
    return FileResponse(
        Path(settings.uploads) / attachment.file,
        filename=attachment.name,
        media_type="application/octet-stream",
    )
